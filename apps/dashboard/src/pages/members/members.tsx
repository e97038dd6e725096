import { PageHead } from '../../parts/page-head.tsx';

export const Members = () => <PageHead title="Members" />;
