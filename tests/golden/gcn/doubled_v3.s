.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.p2align 8
.globl doubled
.type doubled,@function
doubled:
  s_load_dwordx2 s[0:1], s[6:7], 0x0
  s_load_dword s2, s[6:7], 0x8
  s_lshl_b32 s8, s8, 6
  v_add_u32 v0, vcc, s8, v0
  s_waitcnt lgkmcnt(0)
  v_cmp_gt_u32 vcc, s2, v0
  s_and_saveexec_b64 s[4:5], vcc
  s_cbranch_execz BB0_2
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, s1
  v_add_u32 v0, vcc, s0, v1
  v_addc_u32 v1, vcc, 0, v2, vcc
  flat_load_dword v2, v[0:1]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_lshlrev_b32 v2, 1, v2
  flat_store_dword v[0:1], v2
BB0_2:
  s_endpgm
.Lend:
  .size doubled, .Lend-doubled
.rodata
.p2align 6
.amdhsa_kernel doubled
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 24
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 9
  .amdhsa_reserve_xnack_mask 0
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [ 1, 0 ]
amdhsa.kernels:
  - .name: doubled
    .symbol: doubled.kd
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - { .name: data, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: count, .type_name: uint, .offset: 8, .size: 4, .value_kind: by_value }
      - { .offset: 16, .size: 8, .value_kind: hidden_global_offset_x }
.end_amdgpu_metadata
