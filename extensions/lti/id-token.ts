import { AppError } from '@bellwether/kernel';
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { PlatformEntity } from './platforms/platform.entity';
import type { PlatformKeys } from './platforms/platforms.service';
import { RefusedLaunch, type Refusal } from './launch-claims';

/** Seconds that two clocks may differ. */
const CLOCK_TOLERANCE = 60;
/** From `iat`, whatever `exp` says. */
const MOST_AGE = '1h';

type Keys = JWTVerifyGetKey;
type Document = Parameters<typeof createLocalJWKSet>[0];

/**
 * The claims of an ID token, after 1EdTech Security Framework 1.0 §5.1.3: RS256 by a key of the platform, issuer, audience,
 * times and nonce.
 * @throws RefusedLaunch
 */
export async function verifiedClaims(
  { issuer, clientId, jwksUri }: Pick<PlatformEntity, 'issuer' | 'clientId' | 'jwksUri'>,
  keys: PlatformKeys,
  { token, isNonce }: { readonly token: string; readonly isNonce: (nonce: string) => boolean },
): Promise<JWTPayload> {
  const document = keys.of(jwksUri);
  const find: Keys = async (header, parsed) => {
    const local = async (set: Promise<unknown>): Promise<Awaited<ReturnType<Keys>>> =>
      createLocalJWKSet((await set) as Document)(header, parsed);
    try {
      return await local(document.current());
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await document.search();
      if (newer === null) throw error;
      return local(Promise.resolve(newer));
    }
  };
  try {
    const { payload } = await jwtVerify(token, find, {
      algorithms: ['RS256'],
      issuer,
      audience: clientId,
      clockTolerance: CLOCK_TOLERANCE,
      maxTokenAge: MOST_AGE,
      requiredClaims: ['exp', 'iat', 'nonce'],
    });
    assertParty(payload, clientId);
    const { nonce } = payload;
    if (typeof nonce !== 'string' || !isNonce(nonce)) throw new RefusedLaunch('nonce');
    return payload;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** OpenID Connect Core 1.0 §3.1.3.7: several audiences need `azp`, and `azp` is this client. */
function assertParty({ aud, azp }: JWTPayload, clientId: string): void {
  const isShared = Array.isArray(aud) && aud.length > 1;
  if ((isShared || azp !== undefined) && azp !== clientId) throw new RefusedLaunch('audience', 'azp');
}

const BY_CLAIM: Readonly<Record<string, Refusal>> = {
  iss: 'issuer',
  aud: 'audience',
  exp: 'expired',
  iat: 'clock',
  nbf: 'clock',
  nonce: 'nonce',
};

function refusalOf(error: unknown): unknown {
  if (error instanceof RefusedLaunch) return error;
  if (error instanceof AppError) {
    return isOfPlatform(error) ? new RefusedLaunch('platform_unavailable', causeOf(error)) : error;
  }
  if (error instanceof errors.JWTExpired) return new RefusedLaunch('expired', `${error.code} ${error.claim}`);
  if (error instanceof errors.JWTClaimValidationFailed) {
    const refusal = error.reason === 'missing' ? 'claims' : (BY_CLAIM[error.claim] ?? 'claims');
    return new RefusedLaunch(refusal, `${error.code} ${error.claim}`);
  }
  return new RefusedLaunch('signature', error instanceof errors.JOSEError ? error.code : 'invalid');
}

const isOfPlatform = ({ code }: AppError): boolean => code !== 'internal_error';

/** The innermost message: administrators have to see why the key set cannot be read. */
function causeOf(error: Error): string {
  let cause: Error = error;
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause.message.slice(0, 200);
}
