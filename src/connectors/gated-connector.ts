import { vendorGate } from '../infrastructure/outbound';
import type { Connector, ModelChunk } from './contract';

/** Awaits `vendorGate` before each model call, where the caller set one. */
export function gatedConnector(connector: Connector): Connector {
  return {
    definition: connector.definition,
    complete: async (...call) => {
      await vendorGate.getStore()?.();
      return connector.complete(...call);
    },
    stream: (...call) => {
      const gate = vendorGate.getStore();
      return gate === undefined ? connector.stream(...call) : gatedStream(gate, () => connector.stream(...call));
    },
  };
}

async function* gatedStream(
  gate: () => Promise<void>,
  ask: () => AsyncIterable<readonly ModelChunk[]>,
): AsyncGenerator<readonly ModelChunk[], void, void> {
  await gate();
  yield* ask();
}
