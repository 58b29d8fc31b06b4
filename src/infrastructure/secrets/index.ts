export { isSealed } from './envelope';
export { maskSecrets } from './mask';
export { SecretsModule } from './secrets.module';
export { SECRETS_KEY_FILE } from './key-ring';
export { type DerivedKey, SecretsService } from './secrets.service';
export {
  INTEGER_BYTES,
  openToken,
  sealToken,
  signedTokenPattern,
  UUID_BYTES,
  uuidAt,
  uuidToBytes,
} from './signed-token';
