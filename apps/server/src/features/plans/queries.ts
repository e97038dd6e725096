import { overridePlans, type Plans } from '@holdfast/contract';
import { z } from 'zod';

export const readPlansFile = async (path: string): Promise<Plans> => {
  try {
    return overridePlans(await Bun.file(path).json());
  } catch (error) {
    throw new Error(`PLANS_FILE ${path} cannot be used: ${reasonOf(error)}`);
  }
};

const reasonOf = (error: unknown): string =>
  error instanceof z.ZodError
    ? error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ')
    : String(error);
