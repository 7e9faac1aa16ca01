import './setup-unit.ts';
