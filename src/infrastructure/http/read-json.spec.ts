import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { Request } from 'express';
import { HOUSE_LIMITS } from './large-json';
import { MemoryBudget } from './memory-budget';
import { readJson } from './read-json';

const read = (text: string, headers: Record<string, string>): Promise<unknown> => {
  const request = Object.assign(Readable.from([Buffer.from(text)]), { headers, complete: true });
  const memory = new MemoryBudget(1024, 'Too much at once').claim('a');
  return readJson(request as unknown as Request, { ...HOUSE_LIMITS, bytes: 1024 }, memory);
};

describe('a JSON body', () => {
  it('is read as it comes without an encoding', async () => {
    await expect(read('{"a":1}', {})).resolves.toEqual({ a: 1 });
  });

  it.each([undefined, 'gzip'])(
    'is cut short when its client left before it was read, encoded as %s',
    async (encoding) => {
      const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
      const request = Object.assign(new PassThrough(), { headers, complete: false });
      const closed = once(request, 'close');
      request.destroy();
      await closed;
      const memory = new MemoryBudget(1024, 'Too much at once').claim('a');
      const reading = readJson(request as unknown as Request, { ...HOUSE_LIMITS, bytes: 1024 }, memory);
      await expect(reading).rejects.toMatchObject({ code: 'bad_request' });
    },
  );

  it.each(['compress', 'constructor', '__proto__', 'toString'])('is refused in the encoding %s', async (encoding) => {
    await expect(read('{}', { 'content-encoding': encoding })).rejects.toMatchObject({
      code: 'unsupported_media_type',
    });
  });
});
