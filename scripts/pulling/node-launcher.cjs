#!/usr/bin/env node
// Starts @tributary/cli, in JavaScript that every Node.js of the last ten years reads: one that is too old says what would be right.
'use strict'

const { engines } = require('./package.json')

const { versions, env, emitWarning, execPath } = process
const [major, minor] = versions.node.split('.').map(Number)
const needed = engines.node.match(/\d+/g).map(Number)
const stop = sentence => {
  console.error(sentence)
  process.exit(1)
}

if (major < needed[0] || (major === needed[0] && minor < needed[1]))
  stop(
    `tributary needs Node.js ${needed.join('.')} or newer, and this is ${versions.node}: install one, or let npm bring it with npx -p node@22 -p @tributary/cli tributary.`,
  )

// Node.js calls its SQLite an experiment, on standard error, each time.
process.emitWarning = (warning, ...more) => {
  if (more[0] !== 'ExperimentalWarning') emitWarning.call(process, warning, ...more)
}

if ((env.HTTPS_PROXY || env.https_proxy) && env.NODE_USE_ENV_PROXY === undefined && versions.bun === undefined) {
  // Node.js goes through a proxy only when this is set before it starts.
  if (!process.allowedNodeEnvironmentFlags.has('--use-env-proxy'))
    stop(`Node.js goes through HTTPS_PROXY from 22.21 and 24.5 on, and this is ${versions.node}: install a newer one.`)
  env.NODE_USE_ENV_PROXY = '1'
  const words = process.execArgv.concat(process.argv.slice(1))
  // Takes the place of this process where the system can, so that signals reach it.
  if (process.execve && process.platform !== 'win32') process.execve(execPath, [execPath].concat(words), env)
  const { status } = require('node:child_process').spawnSync(execPath, words, { stdio: 'inherit' })
  process.exit(status === null ? 1 : status)
}

require('./cli.cjs')
