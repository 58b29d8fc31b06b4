import { isJsonObject } from '../../kernel';
import { badResponse, truncated } from '../transport';
import { AnswerStreamReader } from './answer-stream-reader';
import { answerOf } from './chat-shapes';
import type { VendorCodec, VendorWire } from './codec.types';
import { splitThoughts } from './thought-splitter';

/** The wire format of a vendor whose answers a codec translates. */
export const wireOf = <Kept extends object>(codec: VendorCodec<Kept>): VendorWire<Kept> => ({
  ...codec,
  eventStream: codec.framing === 'sse',
  reader: (call) => new AnswerStreamReader(codec, call),
  whole: (payload, call) => {
    if (!isJsonObject(payload)) throw badResponse('The answer of the model vendor is no object');
    const failure = codec.failure(payload, call.secrets);
    if (failure !== null) throw failure;
    const decoder = codec.decoder(call.maxAnswerChars);
    const { text: said, calls, images } = decoder.add(payload);
    const { text, thoughts } = splitThoughts(said);
    if (!decoder.finished) {
      throw said === '' ? badResponse('The answer of the model vendor holds no message') : truncated();
    }
    const { finishReason, usage, kept } = decoder;
    for (const [callId, each] of kept) call.keep(callId, each);
    const content = text === '' && calls.length > 0 ? null : text;
    const whole = answerOf(call.head, { content, toolCalls: calls, finishReason, usage });
    const echoed = thoughts === '' ? {} : { echoed: { reasoning_content: thoughts } };
    return { ...whole, ...echoed, ...(images.length === 0 ? {} : { images }) };
  },
});
