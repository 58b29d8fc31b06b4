import { Global, Module } from '@nestjs/common';
import { FRAME_PERMISSIONS } from '../../src/web-ui';
import { FrameOriginRepository } from './frame-origin.repository';
import { LaunchFrames } from './launch-frames.service';

/** Global, because the module that sends pages cannot import this one. */
@Global()
@Module({
  providers: [FrameOriginRepository, { provide: FRAME_PERMISSIONS, useClass: LaunchFrames }],
  exports: [FRAME_PERMISSIONS],
})
export class LaunchFramesModule {}
