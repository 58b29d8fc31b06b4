export { MASK, maskSecrets, maskText } from './mask';
export { SecretsModule } from './secrets.module';
export { type RotationReport, SecretsService, type SecretsStatus } from './secrets.service';
