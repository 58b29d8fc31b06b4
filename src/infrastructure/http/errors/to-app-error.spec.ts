import { NotFoundException } from '@nestjs/common';
import { toAppError } from './to-app-error';

describe('a route that is not there', () => {
  it.each(['responses', 'embeddings', 'completions'])('names the one to use to clients of /v1/%s', (name) => {
    const { code, detail } = toAppError(new NotFoundException(`Cannot POST /v1/${name}`));
    expect(code).toBe('not_found');
    expect(detail).toContain(`/v1/${name} is not offered`);
    expect(detail).toContain('POST /v1/chat/completions');
  });

  it.each(['Cannot GET /v1/else', 'Cannot POST /api/v1/responses', 'Cannot GET /v1/responsesx'])(
    'says nothing else for %s',
    (message) => expect(toAppError(new NotFoundException(message)).detail).toBe('There is nothing here'),
  );
});
