// What is asked of every server: the same question, about 658 bytes as a plain chat request.
import { ANSWER, MODEL } from './answer.mjs';
import { requestBytes } from './wire.mjs';

const system = 'You are a patient tutor of a first-year course. Answer briefly, in the language of the question.';
const question =
  'bench-id-000000 Explain in a few sentences why the sky is blue at noon and red at dusk, what role the size of the ' +
  'molecules plays compared with the wavelength of the light, and how a student could show the effect at home with a ' +
  'glass of water, a spoonful of milk and a torch. Mention one common misconception and say why it is wrong. ' +
  'Finish with one question that a teacher could ask to check understanding.';

export const expected = `"content":"${ANSWER}"`;

/** The bytes of one chat request to `target` ({path, headers, model}), base64 for the way to the load generator. */
export function chatRequest(port, target, { stream = false, content = question } = {}) {
  const body = JSON.stringify({
    model: target.model ?? MODEL,
    temperature: 0.2,
    stream,
    messages: [...(target.model ? [] : [{ role: 'system', content: system }]), { role: 'user', content }],
  });
  return requestBytes({ port, path: target.path ?? '/v1/chat/completions', headers: target.headers, body }).toString(
    'base64',
  );
}
