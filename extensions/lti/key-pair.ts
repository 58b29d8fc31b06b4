import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';

/** RFC 7517 §4 */
export interface PublicJwk {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
  readonly kid: string;
  readonly alg: 'RS256';
  readonly use: 'sig';
}

export interface KeyPair {
  readonly publicJwk: PublicJwk;
  /** JSON of the private JWK. */
  readonly privateJwk: string;
}

/** 1EdTech Security Framework 1.0 §5.1.2 demands RS256. */
const ALGORITHM = 'RS256';
const MODULUS_BITS = 2_048;

export async function newKeyPair(kid: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, {
    extractable: true,
    modulusLength: MODULUS_BITS,
  });
  const { n = '', e = '' } = await exportJWK(publicKey);
  return {
    publicJwk: { kty: 'RSA', n, e, kid, alg: ALGORITHM, use: 'sig' },
    privateJwk: JSON.stringify(await exportJWK(privateKey)),
  };
}

/** @param lifetime seconds from now to `exp` */
export async function signedWith(
  { kid, privateJwk }: { readonly kid: string; readonly privateJwk: string },
  claims: JWTPayload,
  lifetime: number,
): Promise<string> {
  const key = await importJWK(JSON.parse(privateJwk) as JWK, ALGORITHM);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
    .setIssuedAt()
    .setExpirationTime(`${lifetime}s`)
    .sign(key);
}
