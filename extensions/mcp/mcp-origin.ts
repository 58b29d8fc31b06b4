import { AppError } from '../../src/kernel';

export interface OwnPlace {
  /** Origin under which people reach the service, as configured. */
  readonly publicUrl: string | null;
  /** Port of the socket that the request came in by. */
  readonly port: number;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses what a web page of another origin sends (MCP specification, "Streamable HTTP", security: DNS rebinding).
 * Programs send no `Origin`. The request's `Host` is the attacker's after a rebinding, so it is not asked.
 * @throws {AppError} `forbidden`
 */
export function assertOwnOrigin(origin: string | undefined, { publicUrl, port }: OwnPlace): void {
  if (origin === undefined) return;
  const own = [
    ...LOOPBACK.map((host) => originOf(`http://${host}:${port}`)),
    publicUrl === null ? null : originOf(publicUrl),
  ];
  if (!own.includes(originOf(origin))) throw new AppError('forbidden', 'This origin may not use the MCP door');
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');
