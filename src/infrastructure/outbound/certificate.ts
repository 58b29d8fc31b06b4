import type { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';

/** What a server showed when a connection to it was opened. */
export type CertificateState =
  | { readonly state: 'valid'; readonly until: Date }
  /** `reason` is the code of the failed check, such as `CERT_HAS_EXPIRED`. */
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unreachable' };

/** Codes of OpenSSL and Node for certificates that do not hold. */
const REFUSALS = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/;

/** Opens a TLS connection, reads the certificate and closes it. Never rejects. */
export function readCertificate(connect: buildConnector.connector, { hostname, port }: URL): Promise<CertificateState> {
  const target = { hostname, host: hostname, servername: hostname, protocol: 'https:', port: port || '443' };
  return new Promise((resolve) => {
    connect(target, (error, socket) => {
      if (error !== null) return resolve(stateOf(error));
      const { valid_to: until } = (socket as TLSSocket).getPeerCertificate();
      socket.destroy();
      resolve({ state: 'valid', until: new Date(until) });
    });
  });
}

function stateOf(error: Error & { readonly code?: unknown }): CertificateState {
  const code = typeof error.code === 'string' ? error.code : '';
  return REFUSALS.test(code) ? { state: 'refused', reason: code } : { state: 'unreachable' };
}
