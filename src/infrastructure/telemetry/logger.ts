import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as Pino, pino, stdSerializers } from 'pino';
import { currentTrail } from '../context';

type Level = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'fatal';

/** Levels of single modules; the others have the level of the whole log. */
export type ModuleLevels = Readonly<Record<string, string>>;

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

/** Ids of the request, run and trace that a line belongs to. */
function idsOfWork(): object {
  const trail = currentTrail();
  if (trail === null) return {};
  const { requestId, runId, traceId } = trail;
  return {
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(runId === null ? {} : { run_id: runId }),
    ...(traceId === null ? {} : { trace_id: traceId }),
  };
}

/** Writes one JSON line per entry to standard output. */
export const createPino = (level: string, destination?: DestinationStream): Pino =>
  pino(
    {
      level,
      redact: { paths: redactPaths, censor: '[redacted]' },
      serializers: { err: describeError },
      base: null,
      mixin: idsOfWork,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );

/** The logger of one module, at the level that the operator chose for it. */
export const moduleLogger = (logger: Pino, name: string, levels: ModuleLevels = {}): Pino => {
  const level = Object.hasOwn(levels, name) ? levels[name] : undefined;
  return logger.child({ module: name }, level === undefined ? {} : { level });
};

/** Loggers of Nest that list every module and route at start: logged as `debug`. */
const CHATTY = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication']);

/** Nest's logger over pino. Arguments: message or object first, the name of the module last. */
export class StructuredLogger implements LoggerService {
  private readonly own = new Map<string, Pino>();

  constructor(
    private readonly pino: Pino,
    levels: ModuleLevels = {},
  ) {
    for (const name of Object.keys(levels)) this.own.set(name, moduleLogger(pino, name, levels));
  }

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
    const name = rest.length > 0 && typeof rest.at(-1) === 'string' ? String(rest.at(-1)) : undefined;
    const own = name === undefined ? undefined : this.own.get(name);
    const pino = own ?? this.pino;
    const named = own === undefined ? { module: name } : {};
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    if (message instanceof Error) pino[level]({ ...named, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) pino[level]({ ...named, ...message });
    else pino[level]({ ...named, stack }, String(message));
  }
}
