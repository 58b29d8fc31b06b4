import { serviceVersion } from '../config';
import type { RowSecurityState } from '../postgres';
import type { Finding } from './finding.types';
import { finding } from './findings';

const OLDEST_NODE = [20, 19] as const;
const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function checkVersions(node = process.versions.node): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? finding('versions.node', { node }) : finding('versions.ok', { service: serviceVersion(), node });
}

/** Nothing leaves the machine at an address of its own. */
export function checkAddress(publicUrl: string | null): readonly Finding[] {
  if (publicUrl === null) return [];
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'http:' && !OWN_MACHINE.has(hostname) ? [finding('address.plain')] : [];
}

/** `missing`: ids of operator keys that stored secrets need. */
export const checkSecrets = ({ missing }: { readonly missing: readonly string[] }): Finding =>
  missing.length === 0 ? finding('secrets.ok') : finding('secrets.missing', { keys: missing.join(', ') });

export const checkRowSecurity = (state: RowSecurityState): readonly Finding[] =>
  state.enforced ? [] : [finding('row_security.off', { reason: state.reason })];
