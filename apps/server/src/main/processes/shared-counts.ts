import { addressWindowSeconds } from '../../http/limits/address-limit.ts';
import {
  createMachineCounts,
  type MachineCounts,
  machineCountsBytes,
} from '../../http/limits/machine-counts.ts';
import { keyWindowSeconds } from '../../http/limits/rate-limit.ts';
import { mapSharedMemory } from './shared-memory.ts';

export const sharedCountsBytes = 2 * machineCountsBytes;

export type SharedCounts = { ofKeys: MachineCounts; ofAddresses: MachineCounts; sweep(): void };

/**
 * What the processes count together. Addresses have a half of their own: anybody can make many of them, and must
 * not take the room of keys.
 */
export const openSharedCounts = (fd: number, seed: bigint): SharedCounts => {
  const memory = mapSharedMemory(fd);
  const ofKeys = createMachineCounts({
    ...{ memory: memory.subarray(0, machineCountsBytes), seed },
    windowSeconds: keyWindowSeconds,
  });
  const ofAddresses = createMachineCounts({
    ...{ memory: memory.subarray(machineCountsBytes), seed },
    windowSeconds: addressWindowSeconds,
  });
  const sweep = () => {
    ofKeys.sweep();
    ofAddresses.sweep();
  };
  return { ofKeys, ofAddresses, sweep };
};
