import 'i18next';
import type account from './en/account.json';
import type admin from './en/admin.json';
import type adminLists from './en/admin-lists.json';
import type adminMoney from './en/admin-money.json';
import type agent from './en/agent.json';
import type attention from './en/attention.json';
import type banner from './en/banner.json';
import type common from './en/common.json';
import type composite from './en/composite.json';
import type costs from './en/costs.json';
import type drama from './en/drama.json';
import type errors from './en/errors.json';
import type house from './en/house.json';
import type library from './en/library.json';
import type money from './en/money.json';
import type notifications from './en/notifications.json';
import type operations from './en/operations.json';
import type prompts from './en/prompts.json';
import type refusals from './en/refusals.json';
import type states from './en/states.json';
import type tasks from './en/tasks.json';
import type workbench from './en/workbench.json';

/** Keys of texts, as the English files have them. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: false;
    resources: {
      common: typeof common;
      account: typeof account;
      workbench: typeof workbench;
      tasks: typeof tasks;
      errors: typeof errors;
      house: typeof house;
      library: typeof library;
      money: typeof money;
      notifications: typeof notifications;
      attention: typeof attention;
      banner: typeof banner;
      costs: typeof costs;
      operations: typeof operations;
      prompts: typeof prompts;
      states: typeof states;
      composite: typeof composite;
      agent: typeof agent;
      drama: typeof drama;
      refusals: typeof refusals;
      admin: typeof admin;
      adminMoney: typeof adminMoney;
      adminLists: typeof adminLists;
    };
  }
}
