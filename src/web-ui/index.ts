export { FRAME_PERMISSIONS, type FramePermissions } from './frame-permissions.token';
export { KnownMethodsModule } from './known-methods.module';
export { WebModule } from './web.module';
export { WebService } from './web.service';
