import { QueryFailedError } from 'typeorm';
import { addToTrail, withTrail } from '../context';
import { createPino, type ModuleLevels, StructuredLogger } from './logger';

function capture(levels: ModuleLevels = {}): { logger: StructuredLogger; lines: () => string[] } {
  let written = '';
  const pino = createPino('info', { write: (line: string) => void (written += line) });
  const logger = new StructuredLogger(pino, levels);
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

  it('names the module that writes', () => {
    const { logger, lines } = capture();
    logger.log('hello', 'Database');
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ module: 'Database', msg: 'hello' });
  });

  it('writes the ids of the request, run and trace that a line belongs to', async () => {
    const { logger, lines } = capture();
    await withTrail({ requestId: 'request-1', traceId: 'trace-1' }, async () => {
      await Promise.resolve();
      await withTrail({ runId: 'run-1' }, async () => logger.warn({ msg: 'tool failed' }, 'ToolInvoker'));
      addToTrail({ traceId: null });
      logger.warn({ msg: 'slow statement', request_id: 'own' });
    });
    logger.log('outside');
    const [inRun, inRequest, outside] = lines().map((line) => JSON.parse(line));
    expect(inRun).toMatchObject({ request_id: 'request-1', run_id: 'run-1', trace_id: 'trace-1' });
    expect(inRequest).toMatchObject({ request_id: 'own' });
    expect(inRequest).not.toHaveProperty('trace_id');
    expect(outside).not.toHaveProperty('request_id');
  });

  it('gives single modules a level of their own, above and below that of the log', () => {
    const { logger, lines } = capture({ Http: 'debug', Database: 'error' });
    logger.debug('told', 'Http');
    logger.warn('not told', 'Database');
    logger.debug('not told', 'Jobs');
    logger.log('told as well', 'Jobs');
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([
      { module: 'Http', msg: 'told' },
      { module: 'Jobs', msg: 'told as well' },
    ]);
  });
});
