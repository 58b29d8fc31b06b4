import { Extractor } from '@bellwether/extraction';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';

@Module({
  providers: [
    { provide: Extractor, inject: [CONFIG], useFactory: ({ extraction }: Config) => new Extractor(extraction) },
  ],
  exports: [Extractor],
})
export class ExtractionModule implements OnApplicationShutdown {
  constructor(private readonly extractor: Extractor) {}

  onApplicationShutdown(): void {
    this.extractor.close();
  }
}
