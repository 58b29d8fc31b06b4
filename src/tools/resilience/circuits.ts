import { LRUCache } from 'lru-cache';
import { ToolFailure } from '../contract';
import type { FailureKind } from './failure-kind';

/** Failures in a row that open a circuit (RELIABILITY: outlier detection), and milliseconds until one call may probe it. */
const FAILURES = 5;
const OPEN_MS = 30_000;
const MAX_CIRCUITS = 10_000;

/** What a circuit belongs to. `key` tells targets of one tool apart; it is asked only where something has failed. */
export interface CircuitPlace {
  readonly organizationId: string;
  readonly plugin: string;
  key(): string;
}

/** State of one target that has failed lately. */
export class Circuit {
  private failures = 0;
  /** On the clock of `performance.now()`; null while it is closed. */
  private openedAt: number | null = null;
  private probing: Promise<void> | null = null;

  get isOpen(): boolean {
    return this.openedAt !== null;
  }

  get mayProbe(): boolean {
    return this.openedAt !== null && performance.now() - this.openedAt >= OPEN_MS;
  }

  /** Resolves when the probe that is under way has ended, however it did; null while there is none. */
  get probe(): Promise<void> | null {
    return this.probing;
  }

  /** Runs the one call that tells whether the target answers again. */
  async probeWith<T>(call: () => Promise<T>): Promise<T> {
    const running = call();
    this.probing = running.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await running;
    } finally {
      this.probing = null;
    }
  }

  fail(): void {
    this.failures += 1;
    if (this.failures >= FAILURES) this.openedAt = performance.now();
  }

  close(): void {
    this.failures = 0;
    this.openedAt = null;
  }
}

/**
 * Circuit breakers, one per organization, tool and target, that exist only while something is wrong: the first failure makes
 * one, the next success removes it.
 */
export class Circuits {
  private readonly troubled = new LRUCache<string, Circuit>({ max: MAX_CIRCUITS });

  /** undefined where nothing has failed lately. */
  find(place: CircuitPlace): Circuit | undefined {
    return this.troubled.size === 0 ? undefined : this.troubled.get(nameOf(place));
  }

  /** Rejects calls that waited for the semaphore while the circuit opened. */
  check(place: CircuitPlace): void {
    if (this.find(place)?.isOpen === true) throw circuitOpen();
  }

  /**
   * Records the state of the target after one call. Only a probe closes an open circuit, not a call that began earlier.
   * After `unknown` an open circuit stays open, and the next call may probe it.
   */
  note(place: CircuitPlace, health: FailureKind['health'], isProbe: boolean): void {
    const circuit = this.find(place);
    if (health === 'bad') this.failed(place, circuit, isProbe);
    else if (health === 'good' && circuit !== undefined && (isProbe || !circuit.isOpen)) {
      circuit.close();
      this.troubled.delete(nameOf(place));
    }
  }

  private failed(place: CircuitPlace, known: Circuit | undefined, isProbe: boolean): void {
    // Calls that were under way when it opened must not postpone the probe.
    if (known?.isOpen === true && !isProbe) return;
    const circuit = known ?? new Circuit();
    if (known === undefined) this.troubled.set(nameOf(place), circuit);
    circuit.fail();
  }
}

const nameOf = (place: CircuitPlace): string => `${place.organizationId} ${place.plugin} ${place.key()}`;

export const circuitOpen = (): ToolFailure =>
  new ToolFailure('tool.unavailable', 'it failed several times in a row and is left alone for a while');
