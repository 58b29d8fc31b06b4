export { maskSecrets } from './mask';
export { SecretsModule } from './secrets.module';
export { type DerivedKey, SECRETS_KEY_FILE, SecretsService, isSealed } from './secrets.service';
export * from './signed-token';
