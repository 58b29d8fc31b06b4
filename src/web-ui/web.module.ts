import { Module } from '@nestjs/common';
import { WebController } from './web.controller';
import { WEB_DIRECTORY, WebService, webDirectory } from './web.service';

@Module({
  controllers: [WebController],
  providers: [WebService, { provide: WEB_DIRECTORY, useFactory: webDirectory }],
  exports: [WebService],
})
export class WebModule {}
