import type { ConnectorPlugin, ModelTarget } from '../../src/connectors';
import { describeConnector } from '../../src/connectors/testing/connector.conformance';
import { MOST_CHARS } from '../../src/connectors/testing/functions.conformance';
import type { ScriptedVendor } from '../../src/connectors/testing/scripted-vendor.types';
import type { Dialect } from './upstream-dialect';
import { startUpstream, type Upstream } from './upstream';
import { outboundFor, QUICK_LIMITS, targetAt } from './upstream-caller';

/**
 * Runs the conformance suite on a connector whose vendor the scripted upstream plays, in that vendor's wire format:
 *
 *   describeVendorConnector('ollama', OLLAMA_DIALECT, OLLAMA);
 */
export function describeVendorConnector(
  name: string,
  dialect: Dialect,
  plugin: ConnectorPlugin,
  { model = 'scripted', target = {} }: { model?: string; target?: Partial<ModelTarget> } = {},
): void {
  describe(`against a scripted vendor that speaks ${dialect.name}`, () => {
    let upstream: Upstream;
    const outbound = outboundFor();
    const connector = plugin.connect({ outbound, limits: { ...QUICK_LIMITS, maxAnswerChars: MOST_CHARS } });

    beforeAll(async () => {
      upstream = await startUpstream();
    });
    afterEach(() => upstream.verify());
    afterAll(async () => {
      await outbound.onModuleDestroy();
      await upstream.stop();
    });

    const vendor: ScriptedVendor = {
      answers: (answer, times = 1) => void upstream.expect(answer, { times }),
      fails: (fault, times = 1) => void upstream.expect({ fault }, { times }),
      questions: () => upstream.questions(),
      hungUp: async () => upstream.requests.at(-1)?.closedEarly,
      reset: () => {
        upstream.verify();
        upstream.reset();
      },
    };
    describeConnector(name, {
      connector: () => connector,
      target: () => targetAt(upstream.origin + dialect.basePath, target),
      vendor,
      model,
    });
  });
}
