export { WebModule } from './web.module';
export { WebService } from './web.service';
