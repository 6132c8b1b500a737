// The certificate of loopback, as tests call it.

export { loopbackCertificate as testCertificate } from '../../scripts/processes/loopback-certificate.ts'
