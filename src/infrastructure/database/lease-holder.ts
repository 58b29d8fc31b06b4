import { hostname } from 'node:os';
import { livenessOf, ownIdentity, type ProcessIdentity } from '../postgres';

/** The process that holds a lease. */
export interface LeaseHolder {
  /** Name shown to operators. */
  readonly label: string;
  readonly process: ProcessIdentity;
}

export const processLabel = `process ${process.pid} on ${hostname()}`;

export const holderHere = (label: string): LeaseHolder => ({ label, process: ownIdentity() });

/** True when the process has ended on this machine: its lease is void before it expires. */
export const hasEnded = ({ process }: LeaseHolder): boolean => livenessOf(process) === 'dead';
