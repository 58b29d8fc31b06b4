import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { ToolFailure } from '../contract';
import { kindOf } from './failure-kind';

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

/**
 * Circuit breakers, one per organization, tool and target, that exist only while something is wrong: the first failure makes
 * one, the next success takes it away.
 */
export class Circuits {
  private readonly troubled = new LRUCache<string, CircuitBreakerPolicy>({ max: MAX_CIRCUITS });

  /** undefined where nothing has failed lately. */
  find(place: CircuitPlace): CircuitBreakerPolicy | undefined {
    return this.troubled.size === 0 ? undefined : this.troubled.get(nameOf(place));
  }

  /** Rejects what waited while the circuit opened. */
  check(place: CircuitPlace): void {
    if (this.find(place)?.state === CircuitState.Open) throw unavailable();
  }

  /** A success ends a row of failures, also one of a call that began before them. */
  succeeded(place: CircuitPlace): void {
    if (this.find(place)?.state === CircuitState.Closed) this.troubled.delete(nameOf(place));
  }

  /** Counts a failure of a place that has no circuit yet, or had none when the call began. */
  async note(place: CircuitPlace, error: unknown): Promise<void> {
    const name = nameOf(place);
    const circuit = this.troubled.get(name) ?? newCircuit();
    this.troubled.set(name, circuit);
    await circuit.execute(() => Promise.reject(error as Error)).catch(() => undefined);
  }

  /** Calls `work`, or rejects with `tool.unavailable` at once while the circuit is open. A probe has one try. */
  async through<T>(
    place: CircuitPlace,
    circuit: CircuitBreakerPolicy,
    work: (probe: boolean) => Promise<T>,
  ): Promise<T> {
    // The library would have the others wait for the probe; they had better hear now.
    if (circuit.state === CircuitState.HalfOpen) throw unavailable();
    try {
      const result = await circuit.execute(() => work(circuit.state !== CircuitState.Closed));
      if (circuit.state === CircuitState.Closed) this.troubled.delete(nameOf(place));
      return result;
    } catch (error) {
      throw error instanceof BrokenCircuitError ? unavailable() : error;
    }
  }
}

const isBad = (error: unknown): boolean => kindOf(error).health === 'bad';

function newCircuit(): CircuitBreakerPolicy {
  const circuit: CircuitBreakerPolicy = circuitBreaker(
    // A probe that tells nothing must not close the circuit: to the library, whatever does not count is as good as success.
    handleWhen(
      (error) => isBad(error) || (circuit.state !== CircuitState.Closed && kindOf(error).health === 'unknown'),
    ),
    { halfOpenAfter: OPEN_MS, breaker: new ConsecutiveBreaker(FAILURES) },
  );
  return circuit;
}

const nameOf = (place: CircuitPlace): string => `${place.organizationId} ${place.plugin} ${place.key()}`;

const unavailable = (): ToolFailure =>
  new ToolFailure('tool.unavailable', 'it failed several times in a row and is left alone for a while');
