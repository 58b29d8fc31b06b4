import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as Pino, pino, stdSerializers } from 'pino';

type Level = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'fatal';

/** Members that never reach the log, wherever they stand. */
const REDACTED = [
  'authorization',
  'cookie',
  'api_key',
  'apiKey',
  'api_token',
  'apiToken',
  'token',
  'secret',
  'password',
  'x-api-key',
];

const redactPaths = REDACTED.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/** What a refused statement was about: texts of documents and questions, which are nobody's business in a log. */
const CONTENTS = ['parameters', 'detail', 'where', 'internalQuery', 'driverError'];

/** An error without the contents that database errors carry; an error inside it (`cause`) is told by its stack. */
function describeError(error: unknown): unknown {
  const described: unknown = error instanceof Error ? stdSerializers.err(error) : error;
  if (typeof described !== 'object' || described === null) return described;
  return Object.fromEntries(Object.entries(described).filter(([name]) => !CONTENTS.includes(name)));
}

/** One JSON line per entry on standard output: a newline in a value stays inside its line. */
export const createPino = (level: string, destination?: DestinationStream): Pino =>
  pino(
    {
      level,
      redact: { paths: redactPaths, censor: '[redacted]' },
      serializers: { err: describeError },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );

/** Nest's own account of every module and route at start: of use when something does not start, noise otherwise. */
const CHATTY = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication']);

/** Nest's logger over pino. Arguments: message or object first, the context (class name) last. */
export class StructuredLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(CHATTY.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const room = rest.length > 0 && typeof rest.at(-1) === 'string' ? String(rest.at(-1)) : undefined;
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    if (message instanceof Error) this.pino[level]({ room, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.pino[level]({ room, ...message });
    else this.pino[level]({ room, stack }, String(message));
  }
}
