import { QueryFailedError } from 'typeorm';
import { createPino, StructuredLogger } from './logger';

function capture(): { logger: StructuredLogger; lines: () => string[] } {
  let written = '';
  const logger = new StructuredLogger(createPino('info', { write: (line: string) => void (written += line) }));
  return { logger, lines: () => written.split('\n').filter((line) => line !== '') };
}

describe('StructuredLogger', () => {
  it('keeps a newline in a name inside one line', () => {
    const { logger, lines } = capture();
    logger.log({ msg: 'created', name: 'a\n{"level":60}' });
    expect(lines()).toHaveLength(1);
  });

  it('redacts credentials at every depth it promises', () => {
    const { logger, lines } = capture();
    logger.warn({
      authorization: 'sk-canary',
      headers: { 'x-api-key': 'sk-canary' },
      a: { b: { api_key: 'sk-canary' } },
    });
    expect(lines()[0]).not.toContain('sk-canary');
  });

  it('tells why a statement failed, not what was in it', () => {
    const { logger, lines } = capture();
    const refused = Object.assign(new Error('value too long'), { code: '22001', detail: 'Failing row: private' });
    const error = new QueryFailedError('INSERT INTO t VALUES ($1)', ['private words'], refused);
    logger.error({ msg: 'a job failed', err: error });
    logger.error(error);
    logger.warn({ msg: 'a job failed', err: new Error('outer', { cause: error }) });
    for (const line of lines()) {
      expect(line).toContain('value too long');
      expect(line).not.toContain('private');
    }
    expect(JSON.parse(lines()[0] ?? '').err).toMatchObject({ type: 'QueryFailedError', code: '22001' });
  });

  it('names the room that writes', () => {
    const { logger, lines } = capture();
    logger.log('hello', 'Database');
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ room: 'Database', msg: 'hello' });
  });
});
