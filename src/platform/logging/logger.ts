import type { LoggerService } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, type Logger as Pino, pino, stdSerializers } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

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

/** One JSON line per entry on standard output: a newline in a value stays inside its line. */
export const createPino = (level: string, destination?: DestinationStream): Pino =>
  pino(
    {
      level,
      redact: { paths: redactPaths, censor: '[redacted]' },
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
    if (message instanceof Error) this.pino[level]({ room, err: stdSerializers.err(message) }, message.message);
    else if (typeof message === 'object' && message !== null) this.pino[level]({ room, ...message });
    else this.pino[level]({ room, stack }, String(message));
  }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Takes a caller's well-formed `X-Request-Id`, else makes one; the answer carries it either way. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

/** Request ids for every request, and one line per answer: method, path without query, status and milliseconds. */
export const httpLogger = (logger: Pino): HttpLogger =>
  pinoHttp({
    logger,
    genReqId: requestId,
    quietReqLogger: true,
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'debug'),
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
      res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
    },
  });
