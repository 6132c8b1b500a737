// A certificate for loopback, for tests and soaks that terminate TLS in the service or receive webhooks. Created for this purpose; it
// protects nothing.

/** Self-signed: clients pass `tls: { rejectUnauthorized: false }`. */
export const loopbackCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglUHYxmXxkDIyFJW4
bbO11eO8D/0ARGrDHGUo+gwekYGhRANCAARM8h+hN7HEJ9n2UKP5xND5QtmKGw5L
n28HXJUlDvGBu08jCXoPPJ40ZZjcCKj3gjexWjqnsC7+WhdCAs8iEVoq
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBpjCCAUugAwIBAgIUVmzqS/aJHvSbxntwEI3HpUwgZvswCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOdHJpYnV0YXJ5IHRlc3QwIBcNMjYxMTIxMDg0MDU5WhgPMjEy
NjEwMjgwODQwNTlaMBkxFzAVBgNVBAMMDnRyaWJ1dGFyeSB0ZXN0MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAETPIfoTexxCfZ9lCj+cTQ+ULZihsOS59vB1yVJQ7x
gbtPIwl6DzyeNGWY3Aio94I3sVo6p7Au/loXQgLPIhFaKqNvMG0wHQYDVR0OBBYE
FORe2DBtyrx9qyOCuF6hvu60HFADMB8GA1UdIwQYMBaAFORe2DBtyrx9qyOCuF6h
vu60HFADMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxo
b3N0MAoGCCqGSM49BAMCA0kAMEYCIQCpp53BLuXEbgoCe5opp9DEVK+NZTFtgD+b
dckh9eikSAIhAPfvQLoLj+bjy6KnkRk84NmLnMSQQx1iDXRkRboxW+ZU
-----END CERTIFICATE-----`,
}
