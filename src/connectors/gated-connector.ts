import { vendorGate } from '../platform/outbound';
import type { Connector, ModelChunk } from './contract';

/** The same connector, behind the gate of the work that calls it, if there is one. */
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
