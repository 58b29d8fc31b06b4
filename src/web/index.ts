export { KnownMethodsModule } from './known-methods.module';
export { WebModule } from './web.module';
export { WebService } from './web.service';
