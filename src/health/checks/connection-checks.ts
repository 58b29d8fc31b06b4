import type { LatestOutcome } from '../../organizations';
import { type Finding, finding } from '../../infrastructure/findings';

/** Codes of a call whose key was refused or cannot be opened. */
const KEY_CODES: readonly (string | null)[] = ['upstream_auth', 'secret_unavailable'];

/** One finding for each vendor or server whose last call failed; one for all when none did. */
export function checkConnections(latest: readonly LatestOutcome[]): readonly Finding[] {
  if (latest.length === 0) return [];
  const failed = latest.filter(({ outcome }) => !outcome.ok);
  return failed.length === 0 ? [finding('connection.ok', { count: latest.length })] : failed.map(findingOf);
}

function findingOf({ organization, connection, outcome }: LatestOutcome): Finding {
  const { at, code, status } = outcome;
  if (KEY_CODES.includes(code)) return finding('connection.key', { connection }, organization);
  const reason = [code, status].filter((part) => part !== null).join(' ');
  return finding('connection.failing', { connection, at, reason }, organization);
}
