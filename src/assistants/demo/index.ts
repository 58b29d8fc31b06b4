export { DemoModule } from './demo.module';
export { DemoSeeder } from './demo-seeder.service';
