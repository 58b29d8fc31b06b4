import { Injectable } from '@nestjs/common';
import type { ModelAnswer, ModelChunk, ModelImage } from '../connectors';
import { ImagesService, imagesMarkdown } from '../files';
import { isJsonObject, type JsonObject } from '../kernel';
import type { Completion, ModelCall } from './completion.types';

/** Pictures that the model itself made: kept among the files of the assistant's owner, and told to the client as Markdown. */
@Injectable()
export class AnswerImages {
  constructor(private readonly images: ImagesService) {}

  /** Links to the kept pictures. @throws AppError `payload_too_large`, `upstream_bad_response`, `insufficient_storage` */
  async markdown({ assistant, run }: Completion, images: readonly ModelImage[]): Promise<string> {
    const owner = { organizationId: assistant.organizationId, userId: assistant.ownerId };
    const bytes = images.map((image) => image.bytes);
    return imagesMarkdown(await this.images.save(owner, run.input.caller, bytes));
  }

  /** The same model, whose pictures have become text by the time a writer sees them. */
  through(completion: Completion, call: ModelCall): ModelCall {
    const told = (images: readonly ModelImage[]): Promise<string> => this.markdown(completion, images);
    return {
      ...call,
      complete: async (request) => withText(await call.complete(request), told),
      stream: (request) => streamWithText(call.stream(request), told),
    };
  }
}

type Tell = (images: readonly ModelImage[]) => Promise<string>;

const paragraph = (before: string, text: string): string =>
  before === '' || before.endsWith('\n\n') ? text : `\n\n${text}`;

async function withText(answer: ModelAnswer, told: Tell): Promise<ModelAnswer> {
  const { images = [], ...rest } = answer;
  if (images.length === 0) return answer;
  const text = rest.text + paragraph(rest.text, await told(images));
  return { ...rest, text, body: withContent(rest.body, 'message', text) };
}

async function* streamWithText(
  chunks: AsyncIterable<readonly ModelChunk[]>,
  told: Tell,
): AsyncGenerator<readonly ModelChunk[]> {
  let said = '';
  for await (const batch of chunks) {
    const ready: ModelChunk[] = [];
    for (const chunk of batch) {
      const { images = [], ...rest } = chunk;
      const text = images.length === 0 ? rest.text : rest.text + paragraph(said + rest.text, await told(images));
      said = (said + text).slice(-2);
      ready.push(images.length === 0 ? chunk : { ...rest, text, data: dataWith(rest.data, text) });
    }
    yield ready;
  }
}

const dataWith = (data: string, content: string): string => {
  const parsed: unknown = JSON.parse(data);
  return isJsonObject(parsed) ? JSON.stringify(withContent(parsed, 'delta', content)) : data;
};

/** The first choice with other content. */
function withContent(body: JsonObject, member: 'message' | 'delta', content: string): JsonObject {
  const [first, ...others] = Array.isArray(body['choices']) ? (body['choices'] as unknown[]) : [];
  if (!isJsonObject(first)) return body;
  const held = isJsonObject(first[member]) ? first[member] : {};
  return { ...body, choices: [{ ...first, [member]: { ...held, content } }, ...others] };
}
