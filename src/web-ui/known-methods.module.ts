import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuthModule } from '../auth';
import { KnownMethodsController } from './known-methods.controller';
import { KnownRoutes } from './known-routes';

@Module({ imports: [AuthModule, DiscoveryModule], controllers: [KnownMethodsController], providers: [KnownRoutes] })
export class KnownMethodsModule {}
