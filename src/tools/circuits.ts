import { type Awaitable, atMost, settle } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import { type Call, type FailureKind, kindOf } from './call';
import { ToolFailure } from './contract';
import type { ToolMetrics } from './tool.metrics';
import type { CheckedOutput } from './read-output';
import type { Next, Policy } from './policy.types';

/** Failures in a row that open a circuit (RELIABILITY: outlier detection), and milliseconds until one call may probe it. */
const FAILURES = 5;
const OPEN_MS = 30_000;
const MAX_CIRCUITS = 10_000;

/** State of one target that has failed lately. */
class Circuit {
  private failures = 0;
  /** On the clock of `performance.now()`; null while it is closed. */
  private openedAt: number | null = null;
  private probing: { readonly ended: Promise<void>; readonly end: () => void } | null = null;

  constructor(readonly plugin: string) {}

  get isOpen(): boolean {
    return this.openedAt !== null;
  }

  get mayProbe(): boolean {
    return this.openedAt !== null && performance.now() - this.openedAt >= OPEN_MS;
  }

  /** Resolves when the current probe has ended, with any result; null without a probe. */
  get probe(): Promise<void> | null {
    return this.probing?.ended ?? null;
  }

  beginProbe(): void {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.probing = { ended, end };
  }

  endProbe(): void {
    this.probing?.end();
    this.probing = null;
  }

  /** Returns true when the circuit opens now. */
  fail(): boolean {
    this.failures += 1;
    if (this.failures < FAILURES) return false;
    const opens = this.openedAt === null;
    this.openedAt = performance.now();
    return opens;
  }
}

/**
 * Circuit breakers, one for each organization, tool and target. They exist only while something is wrong: the first failure
 * makes one, the next success removes it.
 */
export class Circuits {
  private readonly troubled = new LRUCache<string, Circuit>(atMost(MAX_CIRCUITS));

  constructor(private readonly metrics: ToolMetrics) {
    metrics.watchCircuits(() => this.openByTool());
  }

  /** True while no target has failed lately. */
  get isQuiet(): boolean {
    return this.troubled.size === 0;
  }

  /** Rejects calls that waited for a permit while the circuit opened. */
  check(call: Call): void {
    if (this.find(call)?.isOpen === true) throw circuitOpen();
  }

  /**
   * Rejects a call while its circuit is open, or makes it the probe. Other calls wait for the end of a probe within their own
   * deadline. Returns the circuit that the call probes; null for other calls.
   */
  async admit(call: Call): Promise<Circuit | null> {
    for (;;) {
      const circuit = this.find(call);
      if (circuit === undefined || !circuit.isOpen) return null;
      const { probe } = circuit;
      if (probe === null) {
        if (!circuit.mayProbe) throw circuitOpen();
        circuit.beginProbe();
        call.isProbe = true;
        return circuit;
      }
      await call.deadline.race(probe);
    }
  }

  /**
   * Records the state of the target after one call. Only a probe closes an open circuit, not a call that began earlier.
   * After `unknown` an open circuit stays open, and the next call may probe it.
   */
  note(call: Call, health: FailureKind['health']): void {
    if (this.isQuiet && health !== 'bad') return;
    const circuit = this.find(call);
    const isOpen = circuit?.isOpen ?? false;
    // Calls that began before the circuit opened neither close it nor postpone its probe.
    if (isOpen && !call.isProbe) return;
    if (health === 'good') this.troubled.delete(nameOf(call));
    if (health !== 'bad') return;
    const failing = circuit ?? new Circuit(call.plugin);
    if (circuit === undefined) this.troubled.set(nameOf(call), failing);
    if (failing.fail()) this.metrics.circuitOpened(call.plugin);
  }

  private openByTool(): ReadonlyMap<string, number> {
    const open = new Map<string, number>();
    for (const { plugin, isOpen } of this.troubled.values()) {
      if (isOpen) open.set(plugin, (open.get(plugin) ?? 0) + 1);
    }
    return open;
  }

  private find(call: Call): Circuit | undefined {
    return this.isQuiet ? undefined : this.troubled.get(nameOf(call));
  }
}

/** Holds calls back from a target that keeps failing; a call counts once, with all its tries. */
export const circuit =
  (circuits: Circuits): Policy =>
  (next) =>
    function circuit(call) {
      const { tool } = call;
      if (tool.circuit === false) return next(call);
      if (tool.target === undefined && circuits.isQuiet) return noted(circuits, call, null, next);
      return admitted(circuits, call, next);
    };

async function admitted(circuits: Circuits, call: Call, next: Next): Promise<CheckedOutput> {
  if (call.tool.target !== undefined) call.target = await targetOf(call);
  const probed = circuits.isQuiet ? null : await circuits.admit(call);
  return noted(circuits, call, probed, next);
}

/** Notes how the target did. `probed`: the circuit that the call probes. */
const noted = (circuits: Circuits, call: Call, probed: Circuit | null, next: Next): Awaitable<CheckedOutput> =>
  settle(
    () => next(call),
    (output) => {
      circuits.note(call, 'good');
      probed?.endProbe();
      return output;
    },
    (error) => {
      circuits.note(call, kindOf(error).health);
      probed?.endProbe();
      throw error;
    },
  );

/** null where the tool cannot tell: then the call itself fails with the reason. */
function targetOf({ tool, request, deadline }: Call): Awaitable<string | null> {
  const { prepared, invocation } = request;
  const ask = async (): Promise<string | null> => {
    try {
      return (await tool.target?.(prepared.config, invocation)) ?? null;
    } catch {
      return null;
    }
  };
  deadline.check();
  return deadline.race(ask());
}

const nameOf = ({ organizationId, plugin, circuitKey }: Call): string => `${organizationId} ${plugin} ${circuitKey}`;

const circuitOpen = (): ToolFailure =>
  new ToolFailure('tool.unavailable', 'it failed several times in a row and is left alone for a while');
