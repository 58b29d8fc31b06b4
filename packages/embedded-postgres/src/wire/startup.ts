import { SNAPSHOT_REQUEST } from './snapshot-request';
import { cstring, type ErrorFields, frame, int32, ProtocolError, readCstring, readyForQuery } from './messages';

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;
const PROTOCOL_MAJOR = 3;

export const DATABASE_NAME = 'postgres';
export const USER_NAME = 'postgres';

/** Parameters that are no settings, or that a shared, synchronous engine cannot honour. */
const IGNORED = new Set([
  'user',
  'database',
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
]);

export type Startup =
  | { readonly kind: 'encryption' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'refused'; readonly error: ErrorFields }
  | { readonly kind: 'session'; readonly settings: [string, string][]; readonly answer: Buffer };

/** Parses a client's first message. */
export function readStartup(message: Buffer, sessionId: number, serverVersion: string): Startup {
  if (message.length < 8) throw new ProtocolError('a start-up message without a version');
  const code = message.readInt32BE(4);
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encryption' };
  if (code === CANCEL_REQUEST) return { kind: 'cancel' };
  if (code === SNAPSHOT_REQUEST) return { kind: 'snapshot' };
  if (code >>> 16 !== PROTOCOL_MAJOR) throw new ProtocolError(`protocol version ${code >>> 16} is not spoken here`);
  const parameters = readParameters(message);
  const error = refusal(parameters);
  if (error) return { kind: 'refused', error };
  return {
    kind: 'session',
    settings: settingsOf(parameters),
    answer: Buffer.concat([
      ...((code & 0xffff) > 0 ? [onlyVersion3(parameters)] : []),
      welcome(parameters, sessionId, serverVersion),
    ]),
  };
}

function readParameters(message: Buffer): Map<string, string> {
  const parameters = new Map<string, string>();
  for (let at = 8; at < message.length && message[at] !== 0;) {
    const name = readCstring(message, at);
    const value = readCstring(message, name.end);
    parameters.set(name.text, value.text);
    at = value.end;
  }
  return parameters;
}

/** Refuses every other user and database, which would read the wrong data. */
function refusal(parameters: Map<string, string>): ErrorFields | null {
  const user = parameters.get('user');
  const database = parameters.get('database') ?? user;
  if (user !== USER_NAME) {
    return { severity: 'FATAL', code: '28000', message: `the embedded database knows only the role "${USER_NAME}"` };
  }
  if (database !== DATABASE_NAME) {
    return { severity: 'FATAL', code: '3D000', message: `database "${database}" does not exist` };
  }
  if (parameters.has('replication') && parameters.get('replication') !== 'false') {
    return { severity: 'FATAL', code: '0A000', message: 'the embedded database does not replicate' };
  }
  return null;
}

function settingsOf(parameters: Map<string, string>): [string, string][] {
  const settings = [...parameters].filter(
    ([name, value]) =>
      !IGNORED.has(name) &&
      name !== 'options' &&
      name !== 'replication' &&
      !name.startsWith('_pq_.') &&
      !(name === 'client_encoding' && /^'?(utf-?8|unicode)'?$/i.test(value)),
  );
  const options = parameters.get('options') ?? '';
  for (const [, name = '', value = ''] of options.matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])*)/g)) {
    if (!IGNORED.has(name)) settings.push([name, value.replace(/\\(.)/g, '$1')]);
  }
  return settings;
}

/** Parameters that a client expects before its first query. */
const REPORTED = {
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
  is_superuser: 'on',
  session_authorization: USER_NAME,
};

/** Answers with version 3.0 without extensions. */
function onlyVersion3(parameters: Map<string, string>): Buffer {
  const extensions = [...parameters.keys()].filter((name) => name.startsWith('_pq_.'));
  return frame('v', int32(PROTOCOL_MAJOR << 16), int32(extensions.length), ...extensions.map(cstring));
}

function welcome(parameters: Map<string, string>, sessionId: number, serverVersion: string): Buffer {
  const reported = {
    ...REPORTED,
    server_version: serverVersion,
    application_name: parameters.get('application_name') ?? '',
  };
  return Buffer.concat([
    frame('R', int32(0)),
    ...Object.entries(reported).map(([name, value]) => frame('S', cstring(name), cstring(value))),
    frame('K', int32(sessionId), int32(0)),
    readyForQuery('I'),
  ]);
}
