// Starts a program of an image as an engine would: the image's file system as root, read-only, its own user, and nothing else of this
// machine but the network. Only where `needs('mounts')` says that it can be done.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A container's file system, and the user that runs its program. */
export interface Image {
  folder: string
  user: string
}

/** As container engines do: /proc, /dev and each secret in its place. */
const enter = `
set -e
mount --bind "$1" "$1"
mount -t proc -o subset=pid,hidepid=invisible proc "$1/proc"
mount -t tmpfs -o mode=755 dev "$1/dev"
for device in null urandom; do touch "$1/dev/$device"; mount --bind /dev/$device "$1/dev/$device"; done
mount -t tmpfs -o mode=755 secrets "$1/run/secrets"
for secret in "$2"/*; do touch "$1/run/secrets/\${secret##*/}"; mount --bind "$secret" "$1/run/secrets/\${secret##*/}"; done
mount -o remount,bind,ro "$1"
root=$1 user=$3; shift 3
exec chroot --userspec="$user" "$root" "$@"`

/** The command that runs `args` in the image; the first of them is a path of it. `hosts` are names of loopback there. */
export async function jailed(
  image: Image,
  secrets: string,
  hosts: readonly string[],
  args: readonly string[],
): Promise<string[]> {
  for (const place of ['proc', 'dev', 'etc', 'run/secrets']) await mkdir(join(image.folder, place), { recursive: true })
  await Bun.write(join(image.folder, 'etc/hosts'), hosts.map(host => `127.0.0.1 ${host}\n`).join(''))
  return ['unshare', '--mount', 'sh', '-c', enter, 'sh', image.folder, secrets, image.user, ...args]
}
