import type { CommandSpec } from '../command.ts';
import { applyCommand } from '../community/apply.ts';
import { diffCommand } from '../community/diff.ts';
import { exportCommand } from '../community/export.ts';
import { operationCommands } from '../operations/all.ts';
import { api } from './api.ts';
import { completion } from './completion.ts';
import { doctor } from './doctor.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { mcp } from './mcp.ts';
import { recover, restore } from './restore.ts';
import { backup, pull } from './tasks.ts';
import { watch } from './watch.ts';
import { whoami } from './whoami.ts';

/** What people do, in the order of the help. A new command is one more line here. */
const tasks: CommandSpec[] = [
  login,
  logout,
  whoami,
  backup,
  restore,
  recover,
  pull,
  watch,
  exportCommand,
  diffCommand,
  applyCommand,
  mcp,
  api,
  doctor,
  completion,
];

export const allCommands = (): CommandSpec[] => [...tasks, ...operationCommands()];
