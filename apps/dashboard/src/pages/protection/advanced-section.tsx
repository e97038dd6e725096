import { Stack, Text } from '@mantine/core';
import { Fold } from '../../components/fold.tsx';
import { Section } from '../../components/page.tsx';
import { areDefaults } from '../../labels/protection.ts';
import { AttackThresholds, StoppedAtOnce } from './attack-thresholds.tsx';
import { RaidThreshold } from './raid-threshold.tsx';
import type { ProtectionForm } from './use-protection.ts';

/** When something is an attack or a raid: nearly every server leaves it as it is. */
export const AdvancedSection = ({ form }: { form: ProtectionForm }) => {
  const isDefault = areDefaults(form.protection);
  return (
    <Section
      title="Advanced: what counts as an attack or a raid"
      note={
        isDefault
          ? 'Everything is at its default, which suits most servers.'
          : 'What differs from the default is marked.'
      }
    >
      <Fold label="Thresholds" isOpenFirst={!isDefault}>
        <Stack gap="xl" pt="md">
          <AttackThresholds form={form} />
          <RaidThreshold form={form} />
          <StoppedAtOnce />
          {form.errorOf('thresholds') && (
            <Text size="sm" c="var(--mantine-color-error)">
              {form.errorOf('thresholds')}
            </Text>
          )}
        </Stack>
      </Fold>
    </Section>
  );
};
