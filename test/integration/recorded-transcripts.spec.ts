import type { FunctionCall } from '@bellwether/kernel';
import { ANTHROPIC } from '../../src/connectors/catalog/anthropic';
import { GOOGLE } from '../../src/connectors/catalog/google';
import { OLLAMA } from '../../src/connectors/catalog/ollama';
import { OPENAI } from '../../src/connectors/catalog/openai';
import type { Connector } from '../../src/connectors';
import type { OutboundClient } from '../../src/infrastructure/outbound';
import { AnswerAssembler } from '../../src/answering/tool-calling/answer-assembler';
import {
  ownRecordings,
  saidIn,
  sharedRecordings,
  UNREAD,
  type RecordedVendor,
  type Recording,
} from '../support/recordings';
import { startUpstream, type Upstream } from '../support/upstream';
import { askFor, ConnectorCaller, outboundFor, QUICK_LIMITS, targetAt } from '../support/upstream-caller';

const CONNECTORS: Readonly<Record<RecordedVendor, (outbound: OutboundClient) => Connector>> = {
  openai: (outbound) => OPENAI.connect({ outbound, limits: QUICK_LIMITS }),
  ollama: (outbound) => OLLAMA.connect({ outbound, limits: QUICK_LIMITS }),
  anthropic: (outbound) => ANTHROPIC.connect({ outbound, limits: QUICK_LIMITS }),
  google: (outbound) => GOOGLE.connect({ outbound, limits: QUICK_LIMITS }),
};

const TYPES = { json: 'application/json', sse: 'text/event-stream', ndjson: 'application/x-ndjson' } as const;

const meant = (calls: readonly FunctionCall[]) =>
  calls.map(({ function: { name, arguments: given } }) => [name, given === '' ? {} : (JSON.parse(given) as unknown)]);

/** What vendors really sent, read by the connector of each and put together by the loop's assembler. */
describe('recorded transcripts', () => {
  let upstream: Upstream;
  let outbound: OutboundClient;
  beforeAll(async () => {
    upstream = await startUpstream();
    outbound = outboundFor();
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await outbound.onModuleDestroy();
    await upstream.stop();
  });

  async function replay({ vendor, status, kind, body }: Recording) {
    upstream.always({ raw: body, status, headers: { 'content-type': TYPES[kind] } });
    const caller = new ConnectorCaller(CONNECTORS[vendor](outbound));
    if (kind === 'json') {
      const { text, calls } = await caller.complete(targetAt(upstream.url));
      return { text, calls: meant(calls) };
    }
    const { chunks, text, error } = await caller.stream(targetAt(upstream.url));
    if (error !== null) throw error;
    const assembler = new AnswerAssembler();
    for (const chunk of chunks) assembler.add(chunk);
    return { text, calls: meant(assembler.calls) };
  }

  const all = [...ownRecordings(), ...sharedRecordings()];
  const isRefusal = ({ status }: Recording): boolean => status >= 400;

  it.each(all.filter((each) => !isRefusal(each)))('$vendor: $name is read whole', async (recording) => {
    const expected = saidIn(recording);
    const { text, calls } = await replay(recording);
    expect(text).toBe(expected.text);
    expect(calls.map(([name]) => name)).toEqual(expected.calls.map(([name]) => name));
    expected.calls.forEach(([, given], position) => {
      if (given !== UNREAD) expect(calls[position]?.[1]).toEqual(given);
    });
  });

  it.each(all.filter(isRefusal))('$vendor: $name is an error with a code of ours', async (recording) => {
    await expect(replay(recording)).rejects.toMatchObject({ code: expect.stringMatching(/^upstream_/) as unknown });
    upstream.reset();
    upstream.always({ raw: recording.body, status: recording.status });
    const caller = new ConnectorCaller(CONNECTORS[recording.vendor](outbound));
    const { chunks, error } = await caller.stream(targetAt(upstream.url), askFor());
    expect([chunks, error?.code]).toEqual([[], expect.stringMatching(/^upstream_/)]);
  });
});
