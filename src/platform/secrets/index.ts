export { maskSecrets } from './mask';
export { SecretsModule } from './secrets.module';
export { SecretsService } from './secrets.service';
