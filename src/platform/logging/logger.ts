import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as Pino, pino, stdSerializers } from 'pino';

type Level = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'fatal';

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

/** Members of database errors that quote documents and questions. */
const CONTENTS = ['parameters', 'detail', 'where', 'internalQuery', 'driverError'];

/** Removes the contents of database errors. Their `cause` is part of the stack. */
function describeError(error: unknown): unknown {
  const described: unknown = error instanceof Error ? stdSerializers.err(error) : error;
  if (typeof described !== 'object' || described === null) return described;
  return Object.fromEntries(Object.entries(described).filter(([name]) => !CONTENTS.includes(name)));
}

/** Writes one JSON line per entry to standard output. */
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

/** Loggers of Nest that list every module and route at start: logged as `debug`. */
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
