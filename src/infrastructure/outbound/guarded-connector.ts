import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { DialRefusedError, type DialPolicy } from './dial-policy';

export type ResolveHost = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * An undici connector that checks every new socket between resolving and dialling: a name cannot change its address
 * after the check (DNS rebinding). IP addresses need no lookup and are checked first.
 */
export function guardedConnector(
  policy: DialPolicy,
  resolve: ResolveHost,
  timeoutMs: number,
): buildConnector.connector {
  const open = buildConnector({ timeout: timeoutMs, lookup: plainLookup(resolve) });
  const guarded = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(policy, resolve) });
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    if (policy.exempts(options.hostname, port)) return open(options, callback);
    if (policy.admitsHost(options.hostname, port)) return guarded(options, callback);
    callback(new DialRefusedError(options.hostname), null);
  };
}

const guardedLookup = (policy: DialPolicy, resolve: ResolveHost): LookupFunction =>
  lookupWith(resolve, (hostname, addresses) => {
    const admitted = addresses.filter(({ address }) => policy.admitsAddress(address));
    return admitted.length === 0 ? new DialRefusedError(hostname) : admitted;
  });

/** For hosts of the operator. */
export const plainLookup = (resolve: ResolveHost): LookupFunction => lookupWith(resolve, (_, addresses) => addresses);

function lookupWith(
  resolve: ResolveHost,
  choose: (hostname: string, addresses: LookupAddress[]) => LookupAddress[] | Error,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const chosen = error ?? choose(hostname, addresses);
      if (chosen instanceof Error) return callback(chosen, '', 0);
      const [first] = chosen;
      if (options.all === true) return callback(null, chosen);
      return first === undefined
        ? callback(new DialRefusedError(hostname), '', 0)
        : callback(null, first.address, first.family);
    });
  };
}
