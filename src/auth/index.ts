export { ApiKeysService, type NewKey } from './api-keys.service';
export { AuthModule } from './auth.module';
export { ADMIN_KEY_FILE, type BootstrapReport, BootstrapService } from './bootstrap.service';
export { CallerRenewal } from './caller-renewal.service';
export { CredentialGate } from './credential-gate';
export { endUserOfMetadata } from './end-user';
export { SignInLinks } from './sessions/sign-in-links.service';
