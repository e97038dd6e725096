import { Box, Group, Paper, Tabs, VisuallyHidden } from '@mantine/core';
import { IconArrowsDiff, IconHistory, IconListTree } from '@tabler/icons-react';
import { useSearchParameter } from '../../components/list.tsx';
import type { BackupRecord } from '../../queries/records.ts';
import { PreviewRestore } from '../restores/preview-restore.tsx';
import { CompareBackup } from './compare-backup.tsx';
import { Contents } from './contents/contents.tsx';

/** Where the page scrolls to. */
export const tabsId = 'backup-tabs';

const tabs = [
  { value: 'restore', label: 'Restore', icon: IconHistory, panel: PreviewRestore },
  { value: 'contents', label: 'Contents', icon: IconListTree, panel: Contents },
  { value: 'compare', label: 'Compare', icon: IconArrowsDiff, panel: CompareBackup },
];

/** What can be done with a completed backup; the address says which tab is open. */
export const BackupTabs = ({ backup }: { backup: BackupRecord }) => {
  const [search, setSearch] = useSearchParameter();
  const [first] = tabs;
  const open = tabs.find(({ value }) => value === search.get('tab')) ?? first;
  return (
    <Paper withBorder p={{ base: 'sm', xs: 'md' }} id={tabsId} style={{ scrollMarginTop: 72 }}>
      <Tabs
        value={open?.value}
        onChange={(tab) => setSearch('tab', tab === first?.value ? null : tab)}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map(({ value, label, icon: Glyph }) => (
            <Tabs.Tab key={value} value={value}>
              <Group gap={6} wrap="nowrap">
                <Box visibleFrom="xs" lh={0}>
                  <Glyph size={18} aria-hidden />
                </Box>
                {label}
              </Group>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, label, panel: Panel }) => (
          <Tabs.Panel key={value} value={value}>
            <VisuallyHidden component="h2">{label}</VisuallyHidden>
            <Panel backup={backup} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
};
