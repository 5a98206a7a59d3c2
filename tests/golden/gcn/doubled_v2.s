.hsa_code_object_version 2,1
.hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
.text
.p2align 8
.amdgpu_hsa_kernel doubled
doubled:
.amd_kernel_code_t
  enable_sgpr_private_segment_buffer = 1
  enable_sgpr_dispatch_ptr = 1
  enable_sgpr_kernarg_segment_ptr = 1
  enable_sgpr_workgroup_id_x = 1
  user_sgpr_count = 8
  kernarg_segment_byte_size = 24
  wavefront_sgpr_count = 16
  workitem_vgpr_count = 4
  granulated_workitem_vgpr_count = 0
  granulated_wavefront_sgpr_count = 1
  is_ptr64 = 1
  float_mode = 192
.end_amd_kernel_code_t
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
.amd_amdgpu_hsa_metadata
Version: [ 1, 0 ]
Kernels:
  - Name: doubled
    SymbolName: 'doubled@kd'
    Language: OpenCL C
    LanguageVersion: [ 1, 2 ]
    Args:
      - Name: data
        TypeName: 'uint*'
        Size: 8
        Align: 8
        ValueKind: GlobalBuffer
        ValueType: U32
        AddrSpaceQual: Global
        AccQual: Default
      - Name: count
        TypeName: uint
        Size: 4
        Align: 4
        ValueKind: ByValue
        ValueType: U32
        AccQual: Default
      - Size: 8
        Align: 8
        ValueKind: HiddenGlobalOffsetX
        ValueType: I64
    CodeProps:
      KernargSegmentSize: 24
      GroupSegmentFixedSize: 0
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize: 64
      MaxFlatWorkGroupSize: 256
.end_amd_amdgpu_hsa_metadata
