import { GateFullError, KeyedGates } from '../../kernel';
import type { Call } from '../calls/call';
import { ToolFailure } from '../contract';
import type { Circuits } from './circuits';
import type { CheckedOutput } from '../output/read-output';
import type { Next, Policy } from './policy.types';

/** Simultaneous calls of one host, as a multiple of one run's limit. */
const RUNS = 8;
/** One organization has half of them: it neither waits for one run of its own nor keeps a host from the others. */
const RUNS_OF_ONE = 4;
/** Waiting calls for each running one. */
const WAITING = 10;

/** The permits of each host, and each organization's share of them, in this process. */
export class TargetGates {
  readonly hosts: KeyedGates;
  readonly shares: KeyedGates;

  constructor(parallelLimit: number) {
    const capacity = RUNS * parallelLimit;
    const share = RUNS_OF_ONE * parallelLimit;
    this.hosts = new KeyedGates(capacity, WAITING * capacity);
    this.shares = new KeyedGates(share, WAITING * share);
  }

  get isIdle(): boolean {
    return this.hosts.size + this.shares.size === 0;
  }
}

/** Limits simultaneous tries at one host, so that a slow host fills its own bulkhead only. Pauses hold no permit. */
export function bulkhead({ hosts, shares }: TargetGates, circuits: Circuits): Policy {
  const holding = async (call: Call, target: string, next: Next): Promise<CheckedOutput> => {
    const share = `${call.organizationId} ${target}`;
    // In this order: a call that waits for its organization's share holds no permit of the host.
    if (!shares.tryEnter(share)) await enter(shares, share, call);
    try {
      if (!hosts.tryEnter(target)) await enter(hosts, target, call);
      try {
        // The deadline may have passed, or the circuit opened, since the permit was handed over.
        call.deadline.check();
        if (!call.isProbe) circuits.check(call);
        return await next(call);
      } finally {
        hosts.leave(target);
      }
    } finally {
      shares.leave(share);
    }
  };
  return (next) =>
    function bulkhead(call) {
      return call.target === null ? next(call) : holding(call, call.target, next);
    };
}

async function enter(gates: KeyedGates, key: string, { deadline }: Call): Promise<void> {
  try {
    await gates.enter(key, deadline.nextController().signal);
  } catch (error) {
    if (!(error instanceof GateFullError)) throw error;
    throw new ToolFailure('tool.unavailable', 'too many calls wait for the same server');
  }
}
