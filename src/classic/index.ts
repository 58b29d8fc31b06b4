export { ClassicModule } from './classic.module';
export { ClassicPipeline } from './classic.pipeline';
