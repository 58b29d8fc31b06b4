import { type Awaitable, isJsonObject, type JsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { ModelAnswer, ModelChunk, ModelImage, TakeChunks } from '../../connectors';
import { ImagesService, imagesMarkdown } from '../../files';
import type { Completion } from '../completion.types';

/** Stores a model's images among the files of the assistant's owner, and links them in the answer. */
@Injectable()
export class AnswerImages {
  constructor(private readonly images: ImagesService) {}

  /** @throws AppError `payload_too_large`, `upstream_bad_response`, `insufficient_storage` */
  inAnswer(completion: Completion, answer: ModelAnswer): Awaitable<ModelAnswer> {
    const { images = [] } = answer;
    return images.length === 0 ? answer : this.withImages(completion, answer, images);
  }

  private async withImages(
    completion: Completion,
    { images: _, ...rest }: ModelAnswer,
    images: readonly ModelImage[],
  ): Promise<ModelAnswer> {
    const text = rest.text + paragraph(rest.text, await this.markdown(completion, images));
    return { ...rest, text, body: withContent(rest.body, 'message', text) };
  }

  /** Gives chunks on to `take` with their images as links. @throws as `inAnswer` */
  inChunks(completion: Completion, take: TakeChunks): TakeChunks {
    let end = '';
    return async (batch) => {
      const told: ModelChunk[] = [];
      for (const chunk of batch) {
        const { images = [], ...rest } = chunk;
        const isText = images.length === 0;
        const text = isText
          ? rest.text
          : rest.text + paragraph(end + rest.text, await this.markdown(completion, images));
        end = (end + text).slice(-2);
        told.push(isText ? chunk : { ...rest, text, data: dataWith(rest.data, text) });
      }
      return take(told);
    };
  }

  private async markdown({ assistant, run }: Completion, images: readonly ModelImage[]): Promise<string> {
    const owner = { organizationId: assistant.organizationId, userId: assistant.ownerId };
    const bytes = images.map((image) => image.bytes);
    return imagesMarkdown(await this.images.save({ owner, assistantId: assistant.id }, run.input.caller, bytes));
  }
}

const paragraph = (before: string, text: string): string =>
  before === '' || before.endsWith('\n\n') ? text : `\n\n${text}`;

const dataWith = (data: string, content: string): string => {
  const parsed: unknown = JSON.parse(data);
  return isJsonObject(parsed) ? JSON.stringify(withContent(parsed, 'delta', content)) : data;
};

function withContent(body: JsonObject, member: 'message' | 'delta', content: string): JsonObject {
  const [first, ...others] = Array.isArray(body['choices']) ? (body['choices'] as unknown[]) : [];
  if (!isJsonObject(first)) return body;
  const held = isJsonObject(first[member]) ? first[member] : {};
  return { ...body, choices: [{ ...first, [member]: { ...held, content } }, ...others] };
}
